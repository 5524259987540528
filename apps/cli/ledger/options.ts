/**
 * The description of the required option `--workspace`. If the option is missing, `requireWorkspace` fails with the first few workspaces.
 */
export const WORKSPACE_OPTION_DESCRIPTION =
  'The id of the workspace: acc_… (required; without it, the command fails and names up to five workspaces)';

/** The accepted forms of a time, for error messages. */
export const TIME_FORMS =
  'a date such as 2026-01-31, or a timestamp with a time zone such as 2026-01-31T23:59:59.999Z, from 1900 to 2999';

/** The accepted forms of `--until`, for error messages. */
export const UNTIL_FORMS = `a position in the event log (digits alone), ${TIME_FORMS}`;
