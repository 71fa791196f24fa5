/** How the program was started. */
import { basename } from 'node:path'

/**
 * The words by which a user starts this program: `lacuna`, `npx lacuna`, `npx --package lacuna-cli lacuna`, or node
 * and the script.
 * @param node path of the Node executable, `process.argv[0]`
 * @param script path of the script, `process.argv[1]`
 */
export function invocation(node: string, script: string): string[] {
  const { npm_command: command, npm_config_package: from } = process.env
  if (basename(script) === 'lacuna')
    return command === 'exec' ? ['npx', ...(from ? ['--package', from] : []), 'lacuna'] : ['lacuna']
  return [basename(node) === 'node' ? 'node' : node, script]
}
