/** Formatting of whole numbers. */

/**
 * Prints a whole number with commas, as in 3,309,490. Without Intl, whose first use takes as long as a small
 * job.
 */
export const groupDigits = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')
