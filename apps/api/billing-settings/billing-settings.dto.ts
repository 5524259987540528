import { ApiProperty } from '@nestjs/swagger';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import {
  CUSTOMER_EMAIL_KINDS,
  E_INVOICING_CHOICES,
  INVOICE_GROUPINGS,
  INVOICE_NUMBER_FORMATS,
  MAX_LOGO_BYTES,
  PAPER_SIZES,
  QR_BILL_LANGUAGES,
  type QrBillLanguage,
  PRORATION_UNITS,
  type CustomerEmailKind,
  type EInvoicingChoice,
  type InvoiceGrouping,
  type InvoiceNumberFormat,
  type PaperSize,
  type ProrationUnit,
} from '#libs/contexts/invoicing';
import { MAX_TAXES_PER_INVOICE } from '#libs/contexts/taxes';
import {
  BooleanField,
  ChoiceField,
  EmailField,
  IdListField,
  IntegerField,
  ObjectField,
  RuleField,
  SingleLineField,
  TextField,
  TextListField,
  TimezoneField,
} from '../http/index.js';
import { SellerBody, SellerView } from './seller.dto.js';

const COLOR = /^#[0-9a-fA-F]{6}$/;
/** The maximum length of the data URL of a logo: the logo in Base64, and the prefix of the data URL. */
const MAX_LOGO_LENGTH = Math.ceil(MAX_LOGO_BYTES / 3) * 4 + 64;
/** An example of a logo: a blue square. */
const LOGO =
  '' +
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxyZWN0IHdpZHRoPSI4IiBoZWlnaHQ9IjgiIGZpbGw9IiMwYjVmZmYiLz48L3N2Zz4=';
const PREFIX = /^[A-Za-z0-9]{1,10}$/;

const EMAILS = {
  description:
    'The kinds of mail that customers get: open invoices that no card is charged for, receipts, failed payments, and credit notes. ' +
    '`payment_failed` includes mail about payments that the customer must confirm. The dunning policy says which reminders are sent.',
  example: ['invoice', 'receipt', 'payment_failed', 'credit_note'],
};
const SENDER_NAME = {
  description: "The name of the sender of mail to customers. Null (the default): the seller's name.",
  example: 'Contoso Billing',
};
const REPLY_TO = {
  description:
    "The address for answers to mail to customers. Null (the default): the seller's e-mail address, or else the address of the sender.",
  example: 'billing@contoso.example',
};
const ALLOWLIST = {
  description:
    'The addresses to which a sandbox sends mail to customers: `ada@example.com`, or `@example.com` for all addresses of a domain. Mail ' +
    'to other addresses is stored but not sent. A new address is refused (`address_not_proved`) while no admin of the sandbox has proved ' +
    'the e-mail address, and nothing is sent until then. A live workspace sends mail to all addresses.',
  example: ['@contoso.example'],
};

/** The settings to change. A field that is left out stays as it is. */
export class ChangeBillingSettingsBody {
  @BooleanField({
    optional: true,
    description: "Whether drafts are opened without anybody's approval.",
    example: true,
  })
  autoApprove?: boolean;

  @BooleanField({
    optional: true,
    description: 'Whether open invoices are charged to the card on file.',
    example: true,
  })
  autoCollect?: boolean;

  @IntegerField({
    min: 0,
    max: 720,
    optional: true,
    description:
      'The hours that a draft waits before it opens automatically, if `autoApprove` is true. When the draft opens, its amounts are computed ' +
      'again with the usage that arrived in the meantime.',
    example: 24,
  })
  gracePeriodHours?: number;

  @BooleanField({
    optional: true,
    description:
      'Whether a draft with nothing to charge is voided without an invoice number, instead of being opened automatically.',
    example: false,
  })
  skipZeroInvoices?: boolean;

  @BooleanField({
    optional: true,
    description:
      'Whether the hosted page and the PDF of an invoice print lines of quantity 0 without an amount, such as prices without usage.',
    example: false,
  })
  printZeroLines?: boolean;

  @BooleanField({
    optional: true,
    description:
      "Whether an amount due below the payment processor's minimum is carried to the customer's next invoice, if the customer has a card and a " +
      'subscription that goes on. The invoice is paid, and its amount is a debt of the balance. If false, the invoice stays open.',
    example: false,
  })
  carrySmallAmounts?: boolean;

  @BooleanField({
    optional: true,
    description: 'Whether a customer with a past-due subscription can still use the features of its plan.',
    example: true,
  })
  entitledWhilePastDue?: boolean;

  @IntegerField({
    min: 0,
    max: 365,
    optional: true,
    description:
      'The number of days from the opening of an invoice to its due date, unless a manual invoice has its own.',
    example: 30,
  })
  netDays?: number;

  @ChoiceField(PRORATION_UNITS, {
    optional: true,
    description:
      "The unit in which a partial period is measured: `time`, to the millisecond (the default), or `days` in the subscription's time " +
      'zone. With `days`, the day of a change is billed by the new terms.',
  })
  prorationBasis?: ProrationUnit;

  @RuleField(
    'isNumberPrefix',
    { type: String, pattern: PREFIX.source, example: 'ACME' },
    (value) => typeof value === 'string' && PREFIX.test(value),
    {
      optional: true,
      message: 'must be 1 to 10 letters and digits, such as INV',
      description: 'The prefix of invoice numbers.',
    },
  )
  invoiceNumberPrefix?: string;

  @ChoiceField(INVOICE_NUMBER_FORMATS, {
    optional: true,
    description:
      'The format of invoice numbers: `INV-000042`, `INV-2026-000042`, `INV-202601-000042` or `000042`. The year and month are from the ' +
      'UTC date on which the invoice was opened. The number at the end continues across years and months, without a gap.',
  })
  invoiceNumberFormat?: InvoiceNumberFormat;

  @RuleField(
    'isNumberPrefix',
    { type: String, pattern: PREFIX.source, example: 'CN' },
    (value) => typeof value === 'string' && PREFIX.test(value),
    {
      optional: true,
      message: 'must be 1 to 10 letters and digits, such as CN',
      description:
        'The prefix of credit note numbers. The prefix must differ from all prefixes that invoice numbers have or had. Upper and lower ' +
        'case count as the same. Likewise, an invoice prefix must differ from all prefixes of credit notes.',
    },
  )
  creditNoteNumberPrefix?: string;

  @TextField({
    max: 600,
    optional: true,
    nullable: true,
    description: 'The footer text of every invoice, such as bank details or a registration number.',
    example: 'Contoso GmbH, HRB 1234 B',
  })
  invoiceFooter?: string | null;

  @ChoiceField(LANGUAGES, {
    optional: true,
    description: 'The language of invoices and credit notes for customers without a `language` of their own.',
  })
  language?: Language;

  @ChoiceField(QR_BILL_LANGUAGES, {
    optional: true,
    nullable: true,
    description:
      'The language of the headings of a Swiss QR-bill. If null (the default), they are in the language of the document, or in English if a ' +
      'QR-bill cannot have that language.',
  })
  qrBillLanguage?: QrBillLanguage | null;

  @ChoiceField(PAPER_SIZES, {
    optional: true,
    description:
      'The paper size of invoice, receipt and credit note PDFs: `a4` (the default), or US `letter`.',
  })
  paperSize?: PaperSize;

  @ChoiceField(INVOICE_GROUPINGS, {
    optional: true,
    description:
      '`subscription` (the default): each subscription has its own invoices. `customer`: one invoice bills up to 100 subscriptions ' +
      'of a customer that are due at the same instant in one currency. The common invoice has one number, total and payment. ' +
      'Subscriptions that end at the instant are on another invoice, or on their own if they end with a refund. Changes of a ' +
      'subscription and manual charges always have their own invoices.',
  })
  invoiceGrouping?: InvoiceGrouping;

  @BooleanField({
    optional: true,
    description:
      "Whether a customer's balance pays the open invoices of the customer in its currency, the one that is due first at first. The balance " +
      'pays when it grows, and before a payment reminder names the invoices. If false, the balance pays only invoices that are opened later, ' +
      'or on request.',
    example: true,
  })
  balancePaysOpenInvoices?: boolean;

  @ObjectField(() => SellerBody, {
    optional: true,
    nullable: true,
    description:
      'The company that issues the invoices, as documents print it. A change of the seller replaces the whole object.',
  })
  seller?: SellerBody | null;

  @ChoiceField(E_INVOICING_CHOICES, {
    optional: true,
    description:
      'Whether PDFs of invoices and credit notes contain the e-invoice: `facturx` (Factur-X, ZUGFeRD; PDF/A-3 with the XML of EN ' +
      '16931). `facturx` needs a `seller` with an address, and with a taxId or a registrationNumber. The e-invoice of a customer who is ' +
      '`not_subject` to VAT needs the registrationNumber; every other e-invoice needs the taxId.',
  })
  eInvoicing?: EInvoicingChoice;

  @RuleField(
    'isLogo',
    {
      type: String,
      maxLength: MAX_LOGO_LENGTH,
      pattern: '^data:image/(png|svg\\+xml);base64,',
      example: LOGO,
    },
    (value) => typeof value === 'string' && value.length <= MAX_LOGO_LENGTH,
    {
      optional: true,
      nullable: true,
      message: `must be a PNG or SVG of at most ${MAX_LOGO_BYTES} bytes as data:image/png;base64,… or data:image/svg+xml;base64,…`,
      description:
        `The logo on every document, also on existing documents. The logo is a PNG of at most a million pixels, or an SVG of shapes and ` +
        `gradients, of at most ${MAX_LOGO_BYTES} bytes. An SVG with anything else, such as scripts, styles, texts, images or links, is ` +
        `refused.`,
    },
  )
  logo?: string | null;

  @RuleField(
    'isColor',
    { type: String, pattern: COLOR.source, example: '#0b5fff' },
    (value) => typeof value === 'string' && COLOR.test(value),
    {
      optional: true,
      nullable: true,
      message: 'must be a color as six hexadecimal digits, such as #0b5fff',
      description: 'The color of lines and buttons on every document, also on existing documents.',
    },
  )
  brandColor?: string | null;

  @TimezoneField({
    optional: true,
    nullable: true,
    description:
      'The time zone for the issue, due and payment dates of documents, and for the dates of their ledger bookings. Null (the default): ' +
      "the customer's time zone. Periods are always shown in the customer's time zone. Existing invoices and their bookings keep their time zone.",
  })
  timezone?: string | null;

  @IdListField({
    max: MAX_TAXES_PER_INVOICE,
    optional: true,
    example: [],
    description: 'The tax rates of customers that have no tax rates of their own and are not tax-exempt.',
  })
  defaultTaxRateIds?: string[];

  @TextListField(
    { max: CUSTOMER_EMAIL_KINDS.length, optional: true, ...EMAILS, example: ['invoice', 'payment_failed'] },
    new RegExp(`^(${CUSTOMER_EMAIL_KINDS.join('|')})$`),
    { name: 'kinds of mail', of: `only ${CUSTOMER_EMAIL_KINDS.join(', ')}` },
  )
  customerEmails?: CustomerEmailKind[];

  @SingleLineField({ max: 100, optional: true, nullable: true, ...SENDER_NAME })
  emailSenderName?: string | null;

  @EmailField({ optional: true, nullable: true, ...REPLY_TO })
  emailReplyTo?: string | null;

  @TextListField({ max: 50, optional: true, ...ALLOWLIST }, /^[^\s@<>"]{0,64}@[A-Za-z0-9.-]{1,190}$/, {
    name: 'addresses',
    of: 'addresses such as "ada@example.com", or "@example.com" for a whole domain',
  })
  sandboxEmailAllowlist?: string[];
}

export class BillingSettingsView {
  @ApiProperty({ description: "Whether drafts are opened without anybody's approval.", example: true })
  autoApprove: boolean;
  @ApiProperty({ description: 'Whether open invoices are charged to the card on file.', example: true })
  autoCollect: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'The hours that a draft waits before it opens automatically, if `autoApprove` is true.',
    example: 0,
  })
  gracePeriodHours: number;
  @ApiProperty({
    description: 'Whether a draft with nothing to charge is voided instead of being opened automatically.',
    example: false,
  })
  skipZeroInvoices: boolean;
  @ApiProperty({
    description:
      'Whether the hosted page and the PDF of an invoice print lines of quantity 0 without an amount, such as prices without usage.',
    example: false,
  })
  printZeroLines: boolean;
  @ApiProperty({
    description:
      "Whether an amount due below the payment processor's minimum is carried to the customer's next invoice.",
    example: false,
  })
  carrySmallAmounts: boolean;
  @ApiProperty({
    description: 'Whether a customer with a past-due subscription can still use the features of its plan.',
    example: true,
  })
  entitledWhilePastDue: boolean;
  @ApiProperty({
    type: 'integer',
    description:
      'The number of days from the opening of an invoice to its due date, unless a manual invoice has its own.',
    example: 30,
  })
  netDays: number;
  @ApiProperty({
    enum: PRORATION_UNITS,
    description: 'The unit in which a partial period is measured: `time` or `days`.',
  })
  prorationBasis: (typeof PRORATION_UNITS)[number];
  @ApiProperty({ example: 'INV', description: 'The prefix of invoice numbers.' })
  invoiceNumberPrefix: string;
  @ApiProperty({ enum: INVOICE_NUMBER_FORMATS, description: 'The format of invoice numbers.' })
  invoiceNumberFormat: (typeof INVOICE_NUMBER_FORMATS)[number];
  @ApiProperty({ example: 'CN', description: 'The prefix of credit note numbers.' })
  creditNoteNumberPrefix: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The footer text of every invoice.',
    example: null,
  })
  invoiceFooter: string | null;
  @ApiProperty({
    enum: LANGUAGES,
    description: 'The language of invoices and credit notes for customers without a `language` of their own.',
  })
  language: Language;
  @ApiProperty({
    enum: QR_BILL_LANGUAGES,
    nullable: true,
    description:
      'The language of the headings of a Swiss QR-bill. Null if they are in the language of the document, or in English.',
  })
  qrBillLanguage: QrBillLanguage | null;
  @ApiProperty({ enum: PAPER_SIZES, description: 'The paper size of PDFs.' }) paperSize: PaperSize;
  @ApiProperty({
    enum: INVOICE_GROUPINGS,
    description:
      'Whether each subscription has its own invoices, or one invoice bills several subscriptions of a customer.',
  })
  invoiceGrouping: InvoiceGrouping;
  @ApiProperty({
    description: "Whether a customer's balance pays the customer's open invoices in its currency.",
    example: true,
  })
  balancePaysOpenInvoices: boolean;
  @ApiProperty({ type: SellerView, nullable: true }) seller: SellerView | null;
  @ApiProperty({ enum: E_INVOICING_CHOICES, description: 'Whether PDFs contain the e-invoice.' })
  eInvoicing: EInvoicingChoice;
  @ApiProperty({ type: String, nullable: true, example: LOGO, description: 'The logo on every document.' })
  logo: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '#0b5fff',
    description: 'The color of lines and buttons on every document.',
  })
  brandColor: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      "The time zone for the dates of documents and of their ledger bookings. Null: the customer's time zone.",
  })
  timezone: string | null;
  @ApiProperty({
    type: [String],
    description: 'The tax rates of customers that have no tax rates of their own and are not tax-exempt.',
    example: [],
  })
  defaultTaxRateIds: string[];
  @ApiProperty({ enum: CUSTOMER_EMAIL_KINDS, isArray: true, ...EMAILS }) customerEmails: CustomerEmailKind[];
  @ApiProperty({ type: String, nullable: true, ...SENDER_NAME }) emailSenderName: string | null;
  @ApiProperty({ type: String, nullable: true, ...REPLY_TO }) emailReplyTo: string | null;
  @ApiProperty({ type: [String], ...ALLOWLIST }) sandboxEmailAllowlist: string[];
}
