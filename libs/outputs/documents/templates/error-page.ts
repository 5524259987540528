import type { Language } from '#libs/kernel/core';
import { definePage } from './web-page.js';

/** The error page that is shown instead of a hosted invoice, for example if the invoice does not exist. */
export interface InvoiceErrorView {
  language: Language;
  title: string;
  heading: string;
  text: string;
  refreshSeconds: null;
}

/** Makes the error page from its view. */
export const renderInvoiceErrorPage = definePage<InvoiceErrorView>(
  `<main>
  <h1>{{heading}}</h1>
  <p>{{text}}</p>
</main>`,
  `
main { max-width: 30rem; margin: 0 auto; padding: 22vh 1.5rem 3rem; text-align: center; text-wrap: balance; }
h1 { font-size: 1.5rem; letter-spacing: -0.01em; line-height: 1.3; margin: 0 0 0.6rem; }
p { color: #5b6475; margin: 0; }`,
);
