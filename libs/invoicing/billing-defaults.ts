/** How an invoice goes on by itself, as the workspace had it when the invoice was created. */
export interface InvoiceSettings {
  /** Whether a draft is opened without anybody's approval. */
  autoApprove: boolean;
  /** Whether an open invoice is charged to the card on file. */
  autoCollect: boolean;
  /** Hours that a draft stays one before it is opened by itself. */
  gracePeriodHours: number;
  /** Days from opening to the due date. */
  netDays: number;
}

/** The settings of a workspace that has chosen none. The one place that says so. */
export const BILLING_DEFAULTS: InvoiceSettings = {
  autoApprove: true,
  autoCollect: true,
  gracePeriodHours: 0,
  netDays: 30,
};
