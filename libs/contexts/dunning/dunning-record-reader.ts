/** Finds the dunning processes of customers in a read model. */
export abstract class DunningRecordReader {
  /** Yields all processes of a customer as the API shows them, oldest first. */
  abstract processesOfCustomer(workspaceId: string, customerId: string): AsyncIterable<object>;
}
