// The OpenAPI descriptions of the errors that several sign-in endpoints have in common.

/** The description of the error for a link that cannot be used. */
export const INVALID_LINK_DESCRIPTION =
  '`invalid_link`: the link was used, has expired, was ended or is unknown, or its user is deactivated.';
/** The description of the error for a user who must use single sign-on. */
export const SSO_REQUIRED_DESCRIPTION =
  '`sso_required`: users with this e-mail domain sign in by single sign-on.';
