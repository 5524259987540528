import type { PaperSize } from '#libs/contexts/invoicing';
import { definePartial } from './engine.js';

/*
 * The QR-bill on a page of its own: the receipt and the payment part, by the Swiss Implementation Guidelines for the QR-bill, version 2.3,
 * section 6, and the Style Guide QR-bill of SIX. The sizes are prescribed, so they are in millimetres and points.
 */

definePartial(
  'swiss-bill-account',
  `<h3>{{headings.account}}</h3>
{{#each account}}<p>{{this}}</p>{{/each}}
{{#if reference}}<h3>{{headings.reference}}</h3><p>{{reference}}</p>{{/if}}`,
);

definePartial(
  'swiss-bill-payer',
  `{{#if payableBy}}<h3>{{headings.payableBy}}</h3>
{{#each payableBy}}<p>{{this}}</p>{{/each}}
{{else}}<h3>{{headings.payableByBlank}}</h3><div class="blank"></div>{{/if}}`,
);

definePartial(
  'swiss-bill-sum',
  `<div class="sum">
  <div><h3>{{headings.currency}}</h3><p>{{currency}}</p></div>
  <div><h3>{{headings.amount}}</h3><p>{{amount}}</p></div>
</div>`,
);

definePartial(
  'swiss-bill',
  `<div class="slip">
  <p class="separate">{{headings.separate}}</p>
  <section class="receipt">
    <h2>{{headings.receipt}}</h2>
    <div class="information">
{{> swiss-bill-account}}
{{> swiss-bill-payer}}
    </div>
{{> swiss-bill-sum}}
    <h3 class="acceptance">{{headings.acceptancePoint}}</h3>
  </section>
  <section class="payment">
    <h2>{{headings.paymentPart}}</h2>
    <svg viewBox="{{code.quietZone}} {{code.quietZone}} {{code.modules}} {{code.modules}}">{{> qr-modules code}}</svg>
{{> swiss-bill-sum}}
    <div class="information">
{{> swiss-bill-account}}
      <h3>{{headings.additionalInformation}}</h3><p>{{message}}</p>
{{> swiss-bill-payer}}
    </div>
  </section>
</div>`,
);

/** The heights of the paper. A tenth of a millimetre less keeps the browser from adding an empty page. */
const HEIGHTS: Readonly<Record<PaperSize, string>> = { a4: '296.9mm', letter: '279.3mm' };

/** The fonts that the guidelines permit. Open Sans, which the PDF contains, takes their place on a machine without them. */
const FONTS = `Arial, Helvetica, 'Liberation Sans', 'Open Sans', sans-serif`;

/** The styles of the page of a QR-bill. */
export function swissBillCss(paperSize: PaperSize): string {
  return `
@page bill { margin: 0; @bottom-left { content: none; } @bottom-right { content: none; } }
.bill { page: bill; break-before: page; position: relative; height: ${HEIGHTS[paperSize]}; overflow: hidden; }
.bill-of { margin: 0; padding: 16mm 17mm 0; color: #5b6475; }
.slip { position: absolute; left: 0; bottom: 0; width: 210mm; height: 105mm; border-top: 0.75pt solid #000; color: #000; font-family: ${FONTS}; line-height: 1.12; overflow-wrap: anywhere; }
.slip * { margin: 0; padding: 0; box-sizing: border-box; }
.slip .separate { position: absolute; bottom: 100%; width: 100%; padding-bottom: 1mm; font-size: 7pt; text-align: center; }
.slip section, .slip h2, .slip .information, .slip .sum, .slip .acceptance, .slip svg { position: absolute; }
.slip section { top: 0; height: 105mm; }
.slip h2 { left: 5mm; top: 5mm; font-size: 11pt; font-weight: 700; }
.slip h3 { font-weight: 700; }
.slip p + h3 { margin-top: 1.9mm; }
.slip .sum { display: flex; gap: 4mm; left: 5mm; top: 68mm; }
.slip .sum h3 { margin-bottom: 0.5mm; }
.receipt { left: 0; width: 62mm; border-right: 0.75pt solid #000; font-size: 8pt; }
.receipt h3 { font-size: 6pt; }
.receipt .information { left: 5mm; top: 12mm; width: 52mm; height: 56mm; overflow: hidden; }
.receipt .acceptance { right: 5mm; top: 82mm; }
.receipt .blank { width: 52mm; height: 20mm; }
.payment { left: 62mm; width: 148mm; font-size: 10pt; }
.payment h3 { font-size: 8pt; }
.payment svg { left: 5mm; top: 17mm; width: 46mm; height: 46mm; fill: #000; shape-rendering: crispEdges; }
.payment .information { left: 56mm; top: 5mm; width: 87mm; height: 85mm; overflow: hidden; }
.payment .blank { width: 65mm; height: 25mm; }
.slip .blank { margin-top: 1mm; print-color-adjust: exact; background: ${CORNERS}; }
`;
}

/** The corners of the field in which the payer writes. */
const CORNERS = ['0 0', '100% 0', '0 100%', '100% 100%']
  .flatMap((corner) => [`${corner} / 3mm 0.75pt`, `${corner} / 0.75pt 3mm`])
  .map((part) => `linear-gradient(#000, #000) ${part} no-repeat`)
  .join(', ');
