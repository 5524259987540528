import type { PrintedInvoiceContent } from '../invoice/invoice-view.js';
import type { DocumentBrand } from '#libs/contexts/invoicing';
import type { DecimalString } from '#libs/kernel/core';
import { brandCss, type BrandView } from './brand.js';
import { definePartial } from './engine.js';
import { PAPER_CSS } from './invoice-layout.js';
import { definePage } from './web-page.js';

/** A credit note that can be downloaded from the page. */
export interface HostedCreditNoteView {
  number: string;
  /** A text with the date and amount of the credit note. If the credit note is void, the text also says since when. */
  text: string;
  pdfPath: string;
}

/** The hosted page of an invoice. All links are relative and lead to pages of the product, so the page works under any public address. */
export interface HostedInvoiceView extends PrintedInvoiceContent, BrandView {
  brand: DocumentBrand;
  /** The text below the number: until when to pay, or since when the invoice is overdue, paid or void. */
  statusText: string;
  isOverdue: boolean;
  /** The message above the amount, which tells the customer the state of the payment or what to do. `tone` sets its colour. */
  message: { tone: 'good' | 'bad' | 'plain'; text: string } | null;
  /** The main action of the page; null if there is none. `amount` is the amount that the page shows. */
  action: { path: string; amount: DecimalString; label: string; hint: string | null } | null;
  /**
   * The form to enter a card and pay with it; null if the customer cannot enter one. `choices` are the test cards of a sandbox. Without
   * choices, the form leads to the page of the payment processor.
   */
  cardEntry: {
    path: string;
    amount: DecimalString;
    label: string;
    hint: string;
    choiceLabel: string;
    choices: { value: string; text: string }[];
  } | null;
  /** True if entering a card is the main action of the page, and `action` comes second. */
  isCardEntryFirst: boolean;
  /** The path at which the PDF of the invoice is downloaded. */
  pdfPath: string;
  /** The path of the receipt; null if the invoice has no receipt. */
  receiptPath: string | null;
  /** The credit notes of the invoice that have a number, including void ones, in the order in which they were issued. */
  creditNotes: HostedCreditNoteView[];
  /** Tells whether the workspace is a sandbox, in which no money moves. */
  sandbox: boolean;
  /** The seconds after which the page reloads, while a payment is being processed. */
  refreshSeconds: number | null;
}

definePartial(
  'card-entry',
  `<form method="post" action="{{cardEntry.path}}"{{#if isSecond}} class="other"{{/if}}><input type="hidden" name="amount" value="{{cardEntry.amount}}">
      {{#if cardEntry.choices}}<fieldset><legend>{{cardEntry.choiceLabel}}</legend>{{#each cardEntry.choices}}<label><input type="radio" name="test" value="{{value}}"{{#if @first}} checked{{/if}}><span>{{text}}</span></label>{{/each}}</fieldset>{{/if}}
      <button>{{cardEntry.label}}</button>
    </form>
    <p class="hint">{{cardEntry.hint}}</p>`,
);

/** Makes the hosted page of an invoice from its view. */
export const renderHostedInvoicePage = definePage<HostedInvoiceView>(
  `{{#if sandbox}}<p class="sandbox">{{labels.sandbox}}</p>{{/if}}
<main>
  <aside class="panel">
    {{#if sellerName}}<p class="from" dir="auto">{{sellerName}}</p>{{/if}}
    <p class="total">{{headline.amount}}</p>
    <p class="when">{{number}}</p>
    <p class="when{{#if isOverdue}} overdue{{/if}}">{{statusText}}</p>
    {{#if message}}<p class="message {{message.tone}}" role="status">{{message.text}}</p>{{/if}}
    {{#if isCardEntryFirst}}{{> card-entry isSecond=false}}{{/if}}
    {{#if action}}
    <form method="post" action="{{action.path}}"{{#if isCardEntryFirst}} class="other"{{/if}}><input type="hidden" name="amount" value="{{action.amount}}"><button>{{action.label}}</button></form>
    {{#if action.hint}}<p class="hint">{{action.hint}}</p>{{/if}}
    {{/if}}
    {{#if cardEntry}}{{#unless isCardEntryFirst}}{{> card-entry isSecond=action}}{{/unless}}{{/if}}
    <p class="download"><a href="{{pdfPath}}">{{labels.downloadPdf}}</a>{{#if receiptPath}}<a href="{{receiptPath}}">{{labels.downloadReceipt}}</a>{{/if}}</p>
    {{#if creditNotes}}
    <h2>{{labels.creditNotes}}</h2>
    <ul>
      {{#each creditNotes}}<li><a href="{{pdfPath}}">{{number}} (PDF)</a> <span>{{text}}</span></li>{{/each}}
    </ul>
    {{/if}}
  </aside>
  <div class="sheet">
{{> paper}}
  </div>
</main>`,
  `${PAPER_CSS}
.sandbox { margin: 0; padding: 0.45em 1em; background: #fff4d6; color: #6b4e00; font-size: 0.86em; text-align: center; }
main { display: grid; grid-template-columns: minmax(0, 47rem) 19rem; gap: 1.5rem; justify-content: center; align-items: start;
  max-width: 72rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
.sheet, .panel { background: #fff; border: 1px solid #e2e6ec; border-radius: 14px; box-shadow: 0 1px 2px rgb(16 24 40 / 4%), 0 8px 24px rgb(16 24 40 / 5%); }
.sheet { grid-column: 1; grid-row: 1; padding: 2.75rem 3rem 3rem; font-size: 0.94rem; }
.panel { grid-column: 2; grid-row: 1; position: sticky; top: 1.5rem; padding: 1.5rem; overflow-wrap: anywhere; }
.panel p { margin: 0; }
.from { font-weight: 600; }
.panel .total { font-size: 2rem; font-weight: 700; letter-spacing: -0.02em; line-height: 1.2; margin-top: 0.5rem; font-variant-numeric: tabular-nums; }
.when, .hint { color: #5b6475; font-size: 0.9rem; text-wrap: balance; }
.panel .message { margin-top: 1.1rem; padding: 0.7rem 0.85rem; border-radius: 9px; font-size: 0.9rem; }
.overdue { color: #8c1d18; font-weight: 600; }
.good { background: #e7f6ef; color: #0b5f44; }
.bad { background: #fdecea; color: #8c1d18; }
.plain { background: #eef2f7; color: #333d4d; }
form { margin: 1.1rem 0 0; }
button { width: 100%; border: 0; border-radius: 9px; padding: 0.85rem 1rem; background: var(--brand, #2546d8); color: var(--on-brand, #fff); font: inherit; font-weight: 600;
  line-height: 1.3; text-wrap: balance; cursor: pointer; }
fieldset { min-width: 0; margin: 0 0 0.8rem; padding: 0; border: 1px solid #c5ccd8; border-radius: 9px; }
legend { margin-left: 0.6rem; padding: 0 0.3rem; color: #5b6475; font-size: 0.86rem; }
label { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.35rem 0.75rem; font-size: 0.9rem; line-height: 1.35; cursor: pointer; }
label:last-child { padding-bottom: 0.6rem; }
label input { flex: none; margin: 0; accent-color: var(--brand, #2546d8); }
.other { margin-top: 1.3rem; padding-top: 1.2rem; border-top: 1px solid #e2e6ec; }
.other button { background: #fff; color: #1b2230; border: 1px solid #c5ccd8; }
button:hover { filter: brightness(0.9); }
.panel .hint { margin-top: 0.6rem; text-align: center; }
.panel .download { margin-top: 1.1rem; padding-top: 1rem; border-top: 1px solid #e2e6ec; text-align: center; font-size: 0.9rem; }
.panel .download a { display: block; }
.panel .download a + a { margin-top: 0.35rem; }
.panel h2 { margin: 1.1rem 0 0.35rem; padding-top: 1rem; border-top: 1px solid #e2e6ec; font-size: 0.9rem; }
.panel ul { list-style: none; margin: 0; padding: 0; font-size: 0.9rem; }
.panel li { margin-top: 0.45rem; }
.panel li a { display: block; }
.panel li span { color: #5b6475; }
@media (max-width: 62rem) {
  main { grid-template-columns: minmax(0, 47rem); padding: 1.25rem 1rem 3rem; gap: 1rem; }
  .panel { grid-column: 1; grid-row: 1; position: static; }
  .sheet { grid-row: 2; }
}
@media (max-width: 36rem) {
  .sheet { padding: 1.5rem 1.25rem 1.75rem; }
  .paper .head, .paper .intro { gap: 1.25em; }
  .paper .stamp { font-size: 0.95em; }
  /* A long word of the name is not broken for the stamp, which then stands above it. */
  .paper .head { flex-wrap: wrap-reverse; align-items: flex-end; }
  .paper .sender, .paper .sender > div { max-width: 100%; }
  .paper .seller { font-size: 1.25em; overflow-wrap: break-word; }
  .paper .intro { flex-direction: column; margin-top: 1.6em; }
  .paper .facts { max-width: none; }
  .paper .headline { margin-top: 1.4em; }
  .paper .wide, .paper th:not(:first-child):not(:last-child) { display: none; }
  .paper .narrow { display: block !important; }
  .paper .end { flex-direction: column-reverse; gap: 1.2em; }
  .paper .totals { min-width: 0; max-width: none; }
  .paper .how { max-width: none; }
}
`,
  ({ brand }) => brandCss(brand),
);
