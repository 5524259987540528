import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, type SessionTokens } from '#libs/contexts/identity';
import { definePage, type WebPage } from '#libs/outputs/documents';

/** The content of the page that a mailed link opens: a form with one button. The page has no script. */
export interface FormView {
  title: string;
  /** The paragraph above the form. */
  text: string;
  /** The e-mail address of the user, for password managers. Null if the page must not show the address. */
  email: string | null;
  asksForName: boolean;
  asksForPassword: boolean;
  /** The label of the button. */
  button: string;
}

const CSS = `
main { max-width: 26rem; margin: 0 auto; padding: 14vh 1.5rem 3rem; }
h1 { font-size: 1.4rem; letter-spacing: -0.01em; line-height: 1.3; margin: 0 0 0.6rem; }
p { color: #5b6475; margin: 0 0 1.2rem; overflow-wrap: anywhere; }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; margin-top: 0.3rem; padding: 0.55rem 0.7rem; font: inherit;
  border: 1px solid #c3cad6; border-radius: 6px; background: #fff; color: inherit; }
button { font: inherit; font-weight: 600; padding: 0.6rem 1.1rem; border: 0; border-radius: 6px; background: #1d4ed8; color: #fff; }
summary { cursor: pointer; color: #5b6475; }
details p { margin-top: 0.8rem; }
small { display: block; margin-top: 0.3rem; font-weight: 400; color: #5b6475; }
code { overflow-wrap: anywhere; }
.token { display: block; margin: 0.2rem 0 1rem; user-select: all; }`;

interface PasswordLengths {
  minPasswordLength: number;
  maxPasswordLength: number;
}

const form = definePage<FormView & PasswordLengths & { language: 'en'; refreshSeconds: null }>(
  `<main>
  <h1>{{title}}</h1>
  <p>{{text}}</p>
  <form method="post">
    {{#if email}}<input type="hidden" autocomplete="username" value="{{email}}">{{/if}}
    {{#if asksForName}}<label>Name <input name="name" autocomplete="name" required maxlength="200"></label>{{/if}}
    {{#if asksForPassword}}<label>Password <input name="password" type="password" autocomplete="new-password" required minlength="{{minPasswordLength}}" maxlength="{{maxPasswordLength}}">
      <small>At least {{minPasswordLength}} characters</small></label>{{/if}}
    <button>{{button}}</button>
  </form>
</main>`,
  CSS,
);

const signedIn = definePage<
  SessionTokens & { email: string; title: string; language: 'en'; refreshSeconds: null }
>(
  `<main>
  <h1>{{title}}</h1>
  <p>You are signed in as {{email}}. You can close this page.</p>
  <details>
    <summary>Tokens of this session, for calls of the API</summary>
    <p>Send the access token as <code>Authorization: Bearer &lt;access token&gt;</code>. It lasts {{expiresIn}} seconds. Exchange the refresh token at <code>POST /v1/auth/refresh</code>. Keep both secret.</p>
    Access token <code class="token">{{accessToken}}</code>
    Refresh token <code class="token">{{refreshToken}}</code>
  </details>
</main>`,
  CSS,
);

const message = definePage<MessagePageView & { language: 'en'; refreshSeconds: null }>(
  `<main>
  <h1>{{title}}</h1>
  <p>{{text}}</p>
  {{#if hasRetry}}<p><a href="">Back to the form</a></p>{{/if}}
</main>`,
  CSS,
);

/** The content of a page without a form. If `hasRetry` is true, the page links back to the form at the same URL. */
export interface MessagePageView {
  title: string;
  /** The paragraph below the title. */
  text: string;
  hasRetry: boolean;
}

const SHARED = { language: 'en', refreshSeconds: null } as const;

/** Renders the page of a mailed link, with the form that the view describes. */
export function formPage(view: FormView): WebPage {
  return form({
    ...{ ...SHARED, minPasswordLength: MIN_PASSWORD_LENGTH, maxPasswordLength: MAX_PASSWORD_LENGTH },
    ...view,
  });
}

/**
 * Renders the page after a sign-in. The page shows the access token and the refresh token, because the user needs these tokens for API
 * calls.
 */
export function signedInPage(email: string, tokens: SessionTokens): WebPage {
  return signedIn({ ...SHARED, title: 'You are signed in', email, ...tokens });
}

/** Renders a page with a message and without a form. */
export function messagePage(view: MessagePageView): WebPage {
  return message({ ...SHARED, ...view });
}
