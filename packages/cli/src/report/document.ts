/** A DOM document in Node, for plots. */

/** Creates an empty DOM document (linkedom), in which Observable Plot draws SVG. */
export async function createDocument(): Promise<Document> {
  const { parseHTML } = await import('linkedom')
  return (parseHTML('<html></html>') as unknown as { document: Document }).document
}
