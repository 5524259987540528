/** Finds the invoices whose last charge was declined, by a read model. */
export abstract class DeclinedInvoices {
  /** The ids of the customer's open invoices whose last charge was declined, the oldest first. */
  abstract ofCustomer(workspaceId: string, customerId: string): Promise<string[]>;
}
