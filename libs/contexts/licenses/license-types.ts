/** Looks up the license types of a workspace. They are the types that its prices name. A read model of prices implements this class. */
export abstract class LicenseTypeDirectory {
  /** Tells whether a price of the workspace charges for the seats of the type. */
  abstract isKnown(workspaceId: string, licenseTypeId: string): Promise<boolean>;
}
