import type { Language } from '#libs/kernel/core';
import { wordingOf, type Wording } from './languages/index.js';
import { renderInvoiceErrorPage } from './templates/error-page.js';
import type { WebPage } from './templates/web-page.js';

/**
 * The page in place of a hosted invoice that cannot be shown. `error` gives the reason: the link belongs to no invoice, the page
 * failed, or too many cards were entered.
 */
export function makeHostedInvoiceErrorPage(language: Language, error: keyof Wording['errors']): WebPage {
  return renderInvoiceErrorPage({ language, ...wordingOf(language).errors[error], refreshSeconds: null });
}
