/**
 * Looks up the license types of a workspace. The license types of a workspace are the types that its prices refer to. The read model of
 * prices implements the class LicenseTypeDirectory.
 */
export abstract class LicenseTypeDirectory {
  /** Tells whether a version of a price that is not deleted charges for the seats of the license type, also an earlier version. */
  abstract isKnown(workspaceId: string, licenseTypeId: string): Promise<boolean>;
}
