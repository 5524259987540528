/** Looks up which customers exist. The application provides the implementation, because the usage library does not depend on customers. */
export abstract class CustomerDirectory {
  /** Returns the ids that belong to no customer of the workspace, or to a deleted customer. */
  abstract findMissingIds(
    workspaceId: string,
    customerIds: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>>;
}
