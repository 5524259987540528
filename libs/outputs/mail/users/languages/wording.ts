/** The texts of one kind of mail to users. */
export interface UserMailText {
  readonly subject: (workspace: string) => string;
  readonly text: readonly string[];
  /** The label of the button. */
  readonly button: string;
  /** What to do if the mail was not expected. */
  readonly unexpected: string;
}

/** All texts of mail to users in one language. The compiler reports a language in which a text is missing. */
export interface UserMailWording {
  readonly linkHint: string;
  /** The words in place of the name of a workspace without a name. */
  readonly namelessWorkspace: string;
  /** Says until when the link works. The time is already written. */
  readonly validity: (time: string) => string;
  readonly invitation: {
    /** `inviter` is null if no user invites. */
    readonly subject: (inviter: string | null, workspace: string) => string;
    readonly text: (inviter: string | null, workspace: string, role: string) => string;
    readonly next: string;
    readonly button: string;
    readonly unexpected: string;
  };
  readonly magicLink: UserMailText;
  readonly resetPassword: UserMailText;
}
