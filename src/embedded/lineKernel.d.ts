/** Made by scripts/embedReading.mjs: what parses lines of numbers (io/kernels), in base64. */
export declare const lineKernel: string
