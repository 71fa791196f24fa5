/** Text from files made safe for a terminal: control characters are replaced by visible escapes. */
export { oneLine, printable } from 'lacuna/internal'
