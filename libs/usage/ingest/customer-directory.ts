/** Who knows which customers there are. Bound by the application, since usage knows nothing of customers. */
export abstract class CustomerDirectory {
  /** Those of `customerIds` that are not in the workspace (any more). */
  abstract missing(workspaceId: string, customerIds: ReadonlySet<string>): Promise<ReadonlySet<string>>;
}
