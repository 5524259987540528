/** The ages of receivables: not yet due, or due for a number of days. Each begun day counts in full. */
export const RECEIVABLE_AGES = ['current', 'days1To30', 'days31To60', 'days61To90', 'over90'] as const;
export type ReceivableAge = (typeof RECEIVABLE_AGES)[number];
