/** lacuna/image in Node: the API of browsers, and picture files, which need the package sharp. */

export * from './imageInBrowser.ts'
export { type ImageFile, readImage, writePng } from './io/node/imageFile.ts'
