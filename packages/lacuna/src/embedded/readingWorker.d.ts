/** Made by scripts/embedReading.mjs: io/node/parallel/worker.js and all that it imports, as one script. */
export declare const readingWorkerSource: string
