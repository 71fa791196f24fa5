/** Made by scripts/build/embed.mjs: io/drive/threads/worker.js and all that it imports, as one script. */
export declare const readingWorkerSource: string
