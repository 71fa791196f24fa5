/** Made by scripts/embedReading.mjs: what parses text (io/kernels), in base64. */
export declare const textKernel: string
