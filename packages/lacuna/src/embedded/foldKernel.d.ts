/** Made by scripts/build/embed.mjs: the kernel of the stages from models to an ensemble (kernels/folds), in base64. */
export declare const foldKernel: string
