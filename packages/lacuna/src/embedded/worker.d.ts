/** Made by scripts/embed.mjs: engine/cpu/worker.js and all that it imports, as one script. */
export declare const workerSource: string
