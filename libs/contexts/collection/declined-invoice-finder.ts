/** Finds in a read model the invoices whose last charge did not succeed. */
export abstract class DeclinedInvoiceFinder {
  /**
   * Returns the ids of the customer's open invoices whose last charge was declined or needs a confirmation, the oldest first. Invoices that
   * never had a retry plan are left out.
   */
  abstract findByCustomer(workspaceId: string, customerId: string): Promise<string[]>;
}
