import type { Language } from '#libs/kernel/core';
import type { DocumentBrand, PaperSize } from '#libs/contexts/invoicing';
import type { PrintedInvoiceContent } from '../invoice/invoice-view.js';
import { wordingOf } from '../languages/index.js';
import { brandCss, type BrandView } from './brand.js';
import { compileTemplate } from './engine.js';
import { PAPER_CSS } from './invoice-layout.js';
import { swissBillCss } from './swiss-bill-layout.js';

/** The printed document: the invoice and, if an amount is due, the address at which to pay it. */
export interface PrintedInvoiceView extends PrintedInvoiceContent, BrandView {
  brand: DocumentBrand;
  /** The size of the pages of the PDF: A4 or letter. */
  paperSize: PaperSize;
  /** The address of the invoice's hosted page; `null` on any document other than an open or written-off invoice. */
  payUrl: string | null;
  /** Tells whether the invoice can be paid at that address, or only looked at. */
  isPayableOnline: boolean;
}

/**
 * Matches a document number that consists of letters, digits and hyphens. The invoice number is the only value of an invoice in the style
 * sheet, so it must be safe in CSS.
 */
const NUMBER = /^[\p{L}\p{N}-]+$/u;

const body = compileTemplate<PrintedInvoiceView>(`{{> paper}}
{{#if payUrl}}<p class="pay">{{#if isPayableOnline}}{{labels.viewAndPay}}{{else}}{{labels.viewOnline}}{{/if}} <a href="{{payUrl}}">{{payUrl}}</a></p>{{/if}}
{{#if swissBill}}<div class="bill"><p class="bill-of">{{title}}</p>{{> swiss-bill swissBill}}</div>{{/if}}`);

const head = compileTemplate<{ language: Language; title: string }>(`<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:">
<title>{{title}}</title>`);

/** The HTML from which the PDF is printed. `fontFaces` makes `@font-face` rules that contain the fonts for the printed text. */
export async function renderPrintedInvoice(
  view: PrintedInvoiceView,
  fontFaces: (text: string) => Promise<string>,
): Promise<string> {
  if (!NUMBER.test(view.number)) throw new Error(`"${view.number}" is no invoice number`);
  const billCss = view.swissBill === null ? '' : swissBillCss(view.paperSize);
  const css = `${PAPER_CSS}${pageCss(view)}${billCss}${brandCss(view.brand)}`;
  // The bill has the code, so the document before it needs no second one.
  const text = body(view.swissBill === null ? view : { ...view, transferCode: null });
  return `${head(view)}
<style>${await fontFaces(text + css)}${css}</style>
</head>
<body>${text}</body>
</html>`;
}

const FONTS = `'Open Sans', 'BIZ UDPGothic', sans-serif`;

const PAGE_SIZES: Readonly<Record<PaperSize, string>> = { a4: 'A4', letter: 'letter' };

function pageCss({ number, language, paperSize }: PrintedInvoiceView): string {
  const [before, between, after] = wordingOf(language).pageNumber;
  return `
@page { size: ${PAGE_SIZES[paperSize]}; margin: 16mm 17mm 20mm;
  @bottom-left { content: "${number}"; ${MARGIN_BOX} }
  @bottom-right { content: "${before}" counter(page) "${between}" counter(pages) "${after}"; ${MARGIN_BOX} } }
html { font: 9.5pt ${FONTS}; }
body { margin: 0; }
html .paper td { padding: 0.42em 0; }
html .paper .num { padding-left: 1.9em; }
html .paper .intro { margin-top: 1.6em; }
html .paper .headline { margin-top: 1.2em; padding: 0.8em 0; }
html .paper .end { padding-top: 0.8em; }
html .paper .totals div { padding: 0.08em 0; }
html .paper .credits { margin-top: 1.4em; }
html .paper .credits div { padding: 0.3em 0; }
html .paper .footer { margin-top: 1.4em; }
thead { display: table-header-group; }
tr, .end, .head, .intro, .credits div, .footer, .pay { break-inside: avoid; }
.headline, .plan, .lines tbody tr:last-child, .credits h2 { break-after: avoid; }
.end, .footer, .pay { break-before: avoid; }
.pay { color: #5b6475; margin: 2.6em 0 0; padding-top: 1em; border-top: 1px solid #e2e6ec; font-size: 0.86em; overflow-wrap: anywhere; }
.pay a { color: #1d4ed8; text-decoration: none; }
`;
}

const MARGIN_BOX = `font: 7.5pt ${FONTS}; color: #5b6475; vertical-align: top; padding-top: 5mm;`;
