/** Looks up which customers exist. The application provides the implementation, because the usage library does not depend on customers. */
export abstract class CustomerDirectory {
  /** Returns the ids that do not belong to customers of the workspace, or belong to deleted ones. */
  abstract missing(workspaceId: string, customerIds: ReadonlySet<string>): Promise<ReadonlySet<string>>;
}
