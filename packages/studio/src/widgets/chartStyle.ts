/** The same hand in every chart. */
export const chartStyle = {
  fontFamily: 'var(--font)',
  fontSize: '11px',
  background: 'none',
  color: 'var(--soft)',
} as const
