/** A graphics card that is a program, for tests: SwiftShader, as Debian's chromium has it. */
import { existsSync } from 'node:fs'

const DRIVER = '/usr/lib/chromium/vk_swiftshader_icd.json'

/** Makes Vulkan find nothing but SwiftShader; says what to install if it is not there. */
export function useSoftwareAdapter(): void {
  if (!existsSync(DRIVER)) throw new Error(`${DRIVER} is missing: apt-get install chromium libvulkan1.`)
  process.env.VK_ICD_FILENAMES = DRIVER
}
