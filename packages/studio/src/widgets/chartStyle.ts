/** Fonts and colours that all charts share. */
export const chartStyle = {
  fontFamily: 'var(--font)',
  fontSize: '11px',
  background: 'none',
  color: 'var(--soft)',
} as const
