/** lacuna/image in Node: the same, and files, which need sharp. */

export * from './imageInBrowser.ts'
export { type ImageFile, readImage, writePng } from './io/node/imageFile.ts'
