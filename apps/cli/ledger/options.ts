/** What `--workspace` is, for the commands that cannot do without. It is asked for by `requireWorkspace`, which tells the ids. */
export const WORKSPACE = 'The workspace: acc_… (required; without it, the ones there are are listed)';
