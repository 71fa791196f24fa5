/** Made by scripts/build/embed.mjs: the kernel that parses text (kernels/text), in base64. */
export declare const textKernel: string
