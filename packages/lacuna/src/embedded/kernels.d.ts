/** Made by scripts/build/embed.mjs: by padded rank, a module with the kernel, deflated, in base64. */
export declare const kernels: Readonly<Record<number, () => Promise<{ default: string }>>>
