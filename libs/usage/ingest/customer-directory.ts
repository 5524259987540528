/** Looks up which customers exist. Bound by the application, since usage knows nothing of customers. */
export abstract class CustomerDirectory {
  /** Returns the ids that are not, or no longer, customers of the workspace. */
  abstract missing(workspaceId: string, customerIds: ReadonlySet<string>): Promise<ReadonlySet<string>>;
}
