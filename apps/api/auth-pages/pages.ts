import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, type SessionTokens } from '#libs/contexts/identity';
import { brandCss, definePage, type WebPage } from '#libs/outputs/documents';
import type { AuthPageFrame } from './auth-page-frames.js';
import { authPageWordingOf, type Piece } from './languages/index.js';

/** The content of a page with a form that has one button. The page has no script. */
export interface FormView {
  title: string;
  /** The paragraph above the form. */
  text: string;
  /** The e-mail address of the user, for password managers. Null if the page must not show the address. */
  email: string | null;
  asksForName: boolean;
  asksForPassword: boolean;
  /** What the page adds as long as nobody has proved the address. Absent otherwise. */
  firstProof?: FirstProofView | null | undefined;
  /** The label of the button. */
  button: string;
}

/** The content of a page whose link is the first proof of an address. */
export interface FirstProofView {
  /** The paragraph that says what begins. */
  text: string;
  /** Asks for the password of the registration, with this hint. Null if the page does not ask for it. */
  passwordHint: string | null;
}

/** The content of a page without a form. */
export interface MessagePageView {
  title: string;
  /** The paragraph below the title. */
  text: string;
  /** Whether the page links back to the form at the same URL. */
  hasRetry: boolean;
  /** Whether the page links to the page where users sign in. */
  leadsToSignIn: boolean;
}

const CSS = `
:root { --brand: #1d4ed8; --on-brand: #ffffff; }
main { max-width: 26rem; margin: 0 auto; padding: 14vh 1.5rem 3rem; }
.seller { margin: 0 0 1.4rem; padding: 0 0 0.8rem; border-bottom: 3px solid var(--brand); font-weight: 600; color: inherit; }
h1 { font-size: 1.4rem; letter-spacing: -0.01em; line-height: 1.3; margin: 0 0 0.6rem; }
h2 { font-size: 1rem; margin: 2.4rem 0 0.8rem; }
p { color: #5b6475; margin: 0 0 1.2rem; overflow-wrap: anywhere; }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; margin-top: 0.3rem; padding: 0.55rem 0.7rem; font: inherit;
  border: 1px solid #c3cad6; border-radius: 6px; background: #fff; color: inherit; }
button { font: inherit; font-weight: 600; padding: 0.6rem 1.1rem; margin: 0 0.5rem 0.5rem 0; border: 0; border-radius: 6px;
  background: var(--brand); color: var(--on-brand); }
button.second { background: #e3e7ee; color: #1b2230; }
summary { cursor: pointer; color: #5b6475; }
details p { margin-top: 0.8rem; }
small { display: block; margin-top: 0.3rem; font-weight: 400; color: #5b6475; }
code { overflow-wrap: anywhere; }
.token { display: block; margin: 0.2rem 0 1rem; user-select: all; }`;

/** The fields of every page: its frame, and the fields that the template of web pages needs. */
interface Framed extends AuthPageFrame {
  refreshSeconds: null;
  title: string;
}

function defineAuthPage<View extends object>(body: string): (view: View & Framed) => WebPage {
  return definePage<View & Framed>(
    `<main>
  {{#if sellerName}}<p class="seller">{{sellerName}}</p>{{/if}}
  <h1>{{title}}</h1>
${body}
</main>`,
    CSS,
    ({ brandColor }) => brandCss({ logo: null, brandColor }),
  );
}

/** The labels and limits of the fields of a form. */
interface FieldTexts {
  nameLabel: string;
  emailLabel: string;
  passwordLabel: string;
  passwordLength: string;
  minPasswordLength: number;
  maxPasswordLength: number;
}

const form = defineAuthPage<FormView & FieldTexts>(`  <p>{{text}}</p>
  {{#if firstProof}}<p>{{firstProof.text}}</p>{{/if}}
  <form method="post">
    {{#if email}}<input type="hidden" autocomplete="username" value="{{email}}">{{/if}}
    {{#if asksForName}}<label>{{nameLabel}} <input name="name" autocomplete="name" required maxlength="200"></label>{{/if}}
    {{#if asksForPassword}}<label>{{passwordLabel}} <input name="password" type="password" autocomplete="new-password" required minlength="{{minPasswordLength}}" maxlength="{{maxPasswordLength}}">
      <small>{{passwordLength}}</small></label>{{/if}}
    {{#if firstProof}}{{#if firstProof.passwordHint}}<label>{{passwordLabel}} <input name="password" type="password" autocomplete="current-password" maxlength="{{maxPasswordLength}}">
      <small>{{firstProof.passwordHint}}</small></label>{{/if}}{{/if}}
    <button>{{button}}</button>
  </form>`);

interface SignInView {
  text: string;
  button: string;
  withoutPassword: string;
  mailLink: string;
  mailPassword: string;
}

const signInForm = defineAuthPage<SignInView & FieldTexts>(`  <p>{{text}}</p>
  <form method="post">
    <label>{{emailLabel}} <input name="email" type="email" autocomplete="username" required maxlength="320"></label>
    <label>{{passwordLabel}} <input name="password" type="password" autocomplete="current-password" required maxlength="{{maxPasswordLength}}"></label>
    <button>{{button}}</button>
  </form>
  <h2>{{withoutPassword}}</h2>
  <form method="post" action="/auth/sign-in/link{{#if workspaceId}}?workspace={{workspaceId}}{{/if}}">
    <label>{{emailLabel}} <input name="email" type="email" autocomplete="username" required maxlength="320"></label>
    <button class="second" name="purpose" value="magic-link">{{mailLink}}</button>
    <button class="second" name="purpose" value="reset-password">{{mailPassword}}</button>
  </form>`);

interface SignedInView extends SessionTokens {
  text: string;
  reference: string;
  tokensLabel: string;
  howToUse: readonly { text: string | null; call: string | null }[];
  accessTokenLabel: string;
  refreshTokenLabel: string;
}

const signedIn = defineAuthPage<SignedInView>(`  <p>{{text}}</p>
  <p><a href="/docs">{{reference}}</a></p>
  <details>
    <summary>{{tokensLabel}}</summary>
    <p>{{#each howToUse}}{{#if call}}<code>{{call}}</code>{{else}}{{text}}{{/if}}{{/each}}</p>
    {{accessTokenLabel}} <code class="token">{{accessToken}}</code>
    {{refreshTokenLabel}} <code class="token">{{refreshToken}}</code>
  </details>`);

const message = defineAuthPage<MessagePageView & { backToForm: string; signIn: string }>(`  <p>{{text}}</p>
  {{#if hasRetry}}<p><a href="">{{backToForm}}</a></p>{{/if}}
  {{#if leadsToSignIn}}<p><a href="/auth/sign-in{{#if workspaceId}}?workspace={{workspaceId}}{{/if}}">{{signIn}}</a></p>{{/if}}`);

/** Renders a page with the form that the view describes. */
export function formPage(frame: AuthPageFrame, view: FormView): WebPage {
  const { firstProof = null } = view;
  return form({ ...view, firstProof, ...framed(frame, view.title), ...fieldTexts(frame) });
}

/** Renders the page where users sign in with a password, or ask for a link by mail. */
export function signInPage(frame: AuthPageFrame): WebPage {
  const { title, ...texts } = authPageWordingOf(frame.language).signIn;
  return signInForm({ ...texts, ...framed(frame, title), ...fieldTexts(frame) });
}

/**
 * Renders the page after a sign-in. The page leads to the reference of the API. It shows the access token and the refresh token, because
 * the user needs these tokens for API calls.
 */
export function signedInPage(frame: AuthPageFrame, email: string, tokens: SessionTokens): WebPage {
  const words = authPageWordingOf(frame.language).signedIn;
  const pieceView = (piece: Piece) =>
    'call' in piece ? { text: null, call: piece.call } : { text: piece.text, call: null };
  return signedIn({
    ...tokens,
    ...framed(frame, words.title),
    text: words.text(email),
    reference: words.reference,
    tokensLabel: words.tokens,
    howToUse: words.howToUse(tokens.expiresIn).map(pieceView),
    accessTokenLabel: words.accessToken,
    refreshTokenLabel: words.refreshToken,
  });
}

/** Renders a page with a message and without a form. */
export function messagePage(frame: AuthPageFrame, view: MessagePageView): WebPage {
  const { errors, signIn } = authPageWordingOf(frame.language);
  const links = { backToForm: errors.backToForm, signIn: signIn.button };
  return message({ ...view, ...framed(frame, view.title), ...links });
}

function framed(frame: AuthPageFrame, title: string): Framed {
  return { ...frame, title, refreshSeconds: null };
}

function fieldTexts({ language }: AuthPageFrame): FieldTexts {
  const { name, email, password, passwordLength } = authPageWordingOf(language).fields;
  return {
    nameLabel: name,
    emailLabel: email,
    passwordLabel: password,
    passwordLength: passwordLength(MIN_PASSWORD_LENGTH),
    minPasswordLength: MIN_PASSWORD_LENGTH,
    maxPasswordLength: MAX_PASSWORD_LENGTH,
  };
}
