/**
 * Looks up the license types of a workspace. The license types of a workspace are the types that its prices refer to. The read model of
 * prices implements the class LicenseTypeDirectory.
 */
export abstract class LicenseTypeDirectory {
  /** Tells whether a price of the workspace charges for the seats of the license type. */
  abstract isKnown(workspaceId: string, licenseTypeId: string): Promise<boolean>;
}
