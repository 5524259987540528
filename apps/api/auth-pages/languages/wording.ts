/** A piece of a sentence: words, or a call of the API, which is shown in the type of code. */
export type Piece = { readonly text: string } | { readonly call: string };

/** The title of a page and the paragraph below it. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** A page with one form, and the label of its button. */
export interface FormText extends PageText {
  readonly button: string;
}

/**
 * All texts of the pages for invitations, sign-ins and passwords in one language. The compiler reports a language in which a text is missing.
 */
export interface AuthPageWording {
  readonly invitation: {
    readonly title: string;
    /** `workspace` is null if the workspace has no name. */
    readonly text: (workspace: string | null, email: string, role: string) => string;
    readonly button: string;
  };
  /** The page of a link to sign in. */
  readonly link: FormText;
  /** What both pages of links add as long as nobody has proved the address. */
  readonly firstProof: {
    readonly text: string;
    /** Says who enters the password of the registration. */
    readonly passwordHint: string;
  };
  readonly newPassword: FormText;
  readonly passwordChanged: PageText;
  /** The page with the form for an address and a password. */
  readonly signIn: FormText & {
    /** The heading of the form for a link by mail. */
    readonly withoutPassword: string;
    readonly mailLink: string;
    readonly mailPassword: string;
  };
  /** The page after a link was requested. It must not tell whether a user has the address. */
  readonly mailed: PageText;
  readonly signedIn: {
    readonly title: string;
    readonly text: (email: string) => string;
    /** The label of the link to the reference of the API. */
    readonly reference: string;
    readonly tokens: string;
    readonly howToUse: (seconds: number) => readonly Piece[];
    readonly accessToken: string;
    readonly refreshToken: string;
  };
  readonly fields: {
    readonly name: string;
    readonly email: string;
    readonly password: string;
    readonly passwordLength: (minimum: number) => string;
  };
  readonly errors: {
    readonly linkEnded: PageText;
    readonly invitationEnded: PageText;
    readonly ssoRequired: PageText;
    readonly failed: PageText;
    /** The title of a page that says why something was refused. */
    readonly refused: string;
    readonly wrongCredentials: string;
    readonly tooMany: string;
    /** Says what a name and a password must be. Null: the page shows the message of the API, which is in English. */
    readonly fields: ((minimum: number) => string) | null;
    readonly backToForm: string;
  };
}
