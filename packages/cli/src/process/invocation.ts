/** How the program was started. */
import { basename } from 'node:path'

/** The words that start this program: `lacuna`, `npx lacuna`, or node and the script. */
export function invocation(node: string, script: string): string[] {
  if (basename(script) === 'lacuna')
    return process.env.npm_command === 'exec' ? ['npx', 'lacuna'] : ['lacuna']
  return [basename(node) === 'node' ? 'node' : node, script]
}
