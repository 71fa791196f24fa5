/** Made by scripts/build/embed.mjs: engine/cpu/threads/worker.js and all that it imports, as one script. */
export declare const workerSource: string
