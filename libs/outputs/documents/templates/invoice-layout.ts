import { definePartial } from './engine.js';

/**
 * The modules of a transfer's QR code, and the Swiss cross in its middle. The cross is black on a white square of 7 mm, with arms by the law
 * on the Swiss coat of arms (SR 232.21): each is a sixth longer than wide.
 */
definePartial(
  'qr-modules',
  `<path d="{{path}}"/>{{#if cross}}<g transform="translate({{cross.at}} {{cross.at}}) scale({{cross.scale}})"><path fill="#fff" d="M0 0h7v7h-7z"/><path d="M.5 .5h6v6h-6z"/><path fill="#fff" d="M2.915 1.55h1.17v3.9h-1.17zM1.55 2.915h3.9v1.17h-3.9z"/></g>{{/if}}`,
);

/** The invoice itself. The hosted page and the PDF share this template. */
definePartial(
  'paper',
  `<article class="paper {{status}}">
  {{#if hasColor}}<div class="bar"></div>{{/if}}
  <header class="head">
    <div class="sender">
      {{#if logo}}<img class="logo" src="data:{{logo}}" alt="">{{/if}}
      <div>
        {{#if sellerName}}<p class="seller" dir="auto">{{sellerName}}</p>{{/if}}
        {{#if sellerAddress}}<p class="seller-address" dir="auto">{{sellerAddress}}</p>{{/if}}
        <h1>{{heading}} <span class="number">{{number}}</span></h1>
      </div>
    </div>
    {{#if stamp}}<p class="stamp">{{stamp}}</p>{{/if}}
  </header>
  <div class="intro">
    <section class="bill-to">
      <h2>{{labels.billTo}}</h2>
      <p class="name" dir="auto">{{billToName}}</p>
      {{#each billToDetails}}<p dir="auto">{{this}}</p>{{/each}}
      {{#if billToEmail}}<p dir="auto">{{billToEmail}}</p>{{/if}}
    </section>
    <dl class="facts">
      {{#each facts}}<div><dt dir="auto">{{label}}</dt><dd dir="auto">{{value}}</dd></div>{{/each}}
    </dl>
  </div>
  <p class="headline"><strong>{{headline.amount}}</strong> <span>{{headline.text}}</span></p>
  {{#if memo}}<p class="memo" dir="auto">{{memo}}</p>{{/if}}
  <table class="lines">
    <thead>
      <tr>
        <th scope="col">{{labels.description}}</th>
        <th scope="col" class="num">{{labels.quantity}}</th>
        <th scope="col" class="num">{{labels.unitPrice}}</th>
        {{#if hasTaxColumn}}<th scope="col" class="num">{{labels.taxRate}}</th>{{/if}}
        <th scope="col" class="num">{{labels.amount}}</th>
      </tr>
    </thead>
    <tbody>
      {{#each lines}}
      {{#if heading}}
      <tr class="plan">
        <td class="what" dir="auto">{{heading.text}}</td>
        <td class="num wide"></td>
        <td class="num wide"></td>
        {{#if tax}}<td class="num wide"></td>{{/if}}
        <td class="num">{{heading.amount}}</td>
      </tr>
      {{/if}}
      <tr>
        <td class="what">
          <span class="description" dir="auto">{{description}}</span>
          {{#if period}}<span class="small">{{period}}</span>{{/if}}
          {{#if quantityAndPrice}}<span class="small narrow">{{quantityAndPrice}}</span>{{/if}}
          {{#if tax}}{{#if tax.full}}<span class="small narrow">{{tax.full}}</span>{{/if}}{{/if}}
          {{#each tiers}}<span class="small tier">{{text}}{{#if amount}} = {{amount}}{{/if}}</span>{{/each}}
        </td>
        <td class="num wide">{{quantity}}</td>
        <td class="num wide">{{#if unitPrice}}{{unitPrice}}{{/if}}</td>
        {{#if tax}}<td class="num wide">{{tax.short}}</td>{{/if}}
        <td class="num amount">{{amount}}</td>
      </tr>
      {{else}}
      <tr><td class="what" colspan="4">{{labels.nothingCharged}}</td></tr>
      {{/each}}
    </tbody>
  </table>
  <div class="end">
    <div class="how">
    <p class="note">{{note}}{{#if payTo}}<span class="pay-to">{{labels.payTo}} <span class="account">{{payTo}}</span></span>{{/if}}</p>
    {{#if transferCode}}<figure class="transfer"><svg viewBox="0 0 {{transferCode.side}} {{transferCode.side}}" role="img" aria-label="{{labels.scanToPay}}">{{> qr-modules transferCode}}</svg><figcaption>{{labels.scanToPay}}</figcaption></figure>{{/if}}
    </div>
    <dl class="totals">
      {{#each totals}}<div{{#if strong}} class="strong"{{/if}}><dt>{{label}}</dt><dd>{{amount}}</dd></div>{{/each}}
    </dl>
  </div>
  {{#if creditsUsed}}
  <section class="credits">
    <h2>{{labels.creditsUsed}}</h2>
    <dl>
      {{#each creditsUsed}}<div><dt dir="auto">{{description}}</dt><dd>{{credits}}</dd></div>{{/each}}
    </dl>
  </section>
  {{/if}}
  {{#if footer}}<p class="footer" dir="auto">{{footer}}</p>{{/if}}
  {{#if sellerDetails}}<p class="footer seller-details" dir="auto">{{sellerDetails}}</p>{{/if}}
</article>`,
);

/** The styles of the printed document, on a screen and on paper. Lengths are in em, so that each medium sets its own size. */
export const PAPER_CSS = `
.paper { color: #1b2230; line-height: 1.5; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.paper * { margin: 0; padding: 0; box-sizing: border-box; }
.paper .bar { height: 0.35em; margin-bottom: 1.2em; background: var(--brand); border-radius: 0.18em; print-color-adjust: exact; }
.paper .sender { flex: 1; display: flex; flex-wrap: wrap; gap: 0.9em 1.2em; align-items: center; }
.paper .logo { display: block; max-width: 14em; max-height: 4em; }
.paper .head { display: flex; justify-content: space-between; align-items: flex-start; gap: 2em; }
.paper .seller { font-size: 1.45em; font-weight: 700; letter-spacing: -0.01em; line-height: 1.25; }
.paper .seller-address { color: #5b6475; font-size: 0.86em; }
.paper h1 { font-size: 1em; font-weight: 400; color: #5b6475; margin-top: 0.2em; }
.paper .number { white-space: nowrap; }
.paper .stamp { flex: none; border: 0.14em solid; border-radius: 0.3em; font-size: 1.15em; font-weight: 700;
  letter-spacing: 0.14em; line-height: 1; padding: 0.45em 0.5em 0.45em 0.64em; text-transform: uppercase; transform: rotate(-4deg); margin: 0.3em 0.2em 0 0 !important; }
.paper.paid .stamp { color: #12805c; }
.paper.void .stamp { color: #b3261e; }
.paper.draft .stamp { color: #8a6100; }
.paper .intro { display: flex; justify-content: space-between; gap: 2em; margin-top: 2.4em; }
.paper .bill-to { flex: 1 1 0; min-width: 0; }
.paper h2, .paper dt, .paper th { font-weight: 400; color: #5b6475; font-size: 0.86em; }
.paper .name { font-weight: 700; }
.paper .facts { flex: none; max-width: 60%; display: grid; grid-template-columns: minmax(4em, max-content) auto; gap: 0 1em; align-items: baseline; align-content: start; }
.paper .facts div { display: contents; }
.paper .headline { margin-top: 2em; padding: 1.1em 0 1.2em; border-top: 1px solid #e2e6ec; }
.paper .headline strong { font-size: 1.75em; font-weight: 700; letter-spacing: -0.015em; line-height: 1.2; }
.paper .headline span { color: #5b6475; white-space: nowrap; }
.paper.void .headline strong { text-decoration: line-through; text-decoration-thickness: 0.07em; color: #5b6475; }
.paper .lines { width: 100%; border-collapse: collapse; }
.paper th { text-align: left; padding: 0 0 0.55em; border-bottom: 1.5px solid var(--brand, #1b2230); vertical-align: bottom; }
.paper td { padding: 0.75em 0; border-bottom: 1px solid #e2e6ec; vertical-align: top; }
.paper .num { text-align: right; padding-left: 1.9em; white-space: nowrap; }
.paper .what { width: 100%; }
.paper .what span { display: block; }
.paper .description { font-weight: 600; }
.paper .small { color: #5b6475; font-size: 0.86em; }
.paper .narrow { display: none !important; }
.paper .plan td { padding: 1.5em 0 0.5em; border-bottom-color: #aab2bf; }
.paper .plan:first-child td { padding-top: 0.9em; }
.paper .plan .what { font-size: 1.12em; font-weight: 700; }
.paper .plan .num { color: #5b6475; }
.paper .end { display: flex; justify-content: space-between; gap: 2.5em; padding-top: 1.1em; }
.paper .how { flex: 1 1 0; max-width: 28em; }
.paper .note { color: #5b6475; text-wrap: balance; padding-top: 0.2em; }
.paper .pay-to { display: block; margin-top: 0.5em; }
.paper .account { display: inline-block; text-wrap: wrap; }
.paper .transfer { display: flex; align-items: center; gap: 0.4em; margin: 0.4em 0 0 -0.75em; }
.paper .transfer svg { flex: none; width: 9.5em; background: #fff; fill: #000; shape-rendering: crispEdges; print-color-adjust: exact; }
.paper .transfer figcaption { max-width: 13em; color: #5b6475; font-size: 0.86em; text-wrap: balance; }
.paper .memo { margin-bottom: 1.6em; white-space: pre-line; }
.paper .credits { margin-top: 2.4em; }
.paper .credits h2 { padding-bottom: 0.55em; border-bottom: 1px solid #aab2bf; }
.paper .credits div { display: flex; justify-content: space-between; gap: 2em; padding: 0.5em 0; border-bottom: 1px solid #e2e6ec; }
.paper .credits dt { flex: 1 1 0; min-width: 0; color: inherit; font-size: 1em; }
.paper .credits dd { white-space: nowrap; }
.paper .footer { color: #5b6475; font-size: 0.86em; margin-top: 2.4em; white-space: pre-line; }
.paper .footer + .seller-details { margin-top: 0.8em; }
.paper .totals { flex: none; min-width: 17em; max-width: 60%; }
.paper .totals div { display: flex; justify-content: space-between; gap: 2em; padding: 0.2em 0; }
.paper .totals dt { font-size: 1em; }
.paper .totals dd { white-space: nowrap; }
.paper .totals .strong { border-top: 1.5px solid var(--brand, #1b2230); margin-top: 0.55em; padding-top: 0.65em; font-weight: 700; }
.paper .totals .strong dt { font-weight: 700; color: inherit; }
`;
