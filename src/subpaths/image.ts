/** lacuna/image in Node: the same, and files, which need sharp. */
export { type ImageFile, readImage, writePng } from '../io/node/imageFile.ts'
export * from './imageInBrowser.ts'
