import { ApiProperty } from '@nestjs/swagger';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import {
  E_INVOICING,
  INVOICE_GROUPINGS,
  INVOICE_NUMBER_FORMATS,
  MAX_LOGO_BYTES,
  PAPER_SIZES,
  PRORATION_UNITS,
  type EInvoicing,
  type InvoiceGrouping,
  type InvoiceNumberFormat,
  type PaperSize,
  type ProrationUnit,
} from '#libs/contexts/invoicing';
import { MAX_TAX_RATES } from '#libs/contexts/taxes';
import {
  BooleanField,
  ChoiceField,
  IdListField,
  IntegerField,
  ObjectField,
  RuleField,
  TextField,
  TimezoneField,
} from '../http/index.js';
import { SellerBody, SellerView } from './seller.dto.js';

const COLOR = /^#[0-9a-fA-F]{6}$/;
/** In Base64, with what stands before it. */
const MAX_LOGO_LENGTH = Math.ceil(MAX_LOGO_BYTES / 3) * 4 + 64;
/** A blue square. */
const LOGO =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxyZWN0IHdpZHRoPSI4IiBoZWlnaHQ9IjgiIGZpbGw9IiMwYjVmZmYiLz48L3N2Zz4=';
const PREFIX = /^[A-Za-z0-9]{1,10}$/;

/** Only the settings to change. */
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
      'Hours that a draft waits before it is opened by itself. It is then computed again, with the usage that came meanwhile.',
    example: 24,
  })
  gracePeriodHours?: number;

  @BooleanField({
    optional: true,
    description:
      'Whether a draft that charges nothing is voided, without a number, instead of opened by itself.',
    example: false,
  })
  skipZeroInvoices?: boolean;

  @IntegerField({
    min: 0,
    max: 365,
    optional: true,
    description: 'Days from opening to the due date.',
    example: 30,
  })
  netDays?: number;

  @ChoiceField(PRORATION_UNITS, {
    optional: true,
    description:
      'What parts of a period are counted in: elapsed `time`, to the millisecond (the default), or whole `days` of the ' +
      "subscription's calendar, of which the one that a change falls on belongs to what is new.",
  })
  prorationBasis?: ProrationUnit;

  @RuleField(
    'isNumberPrefix',
    { type: String, pattern: PREFIX.source, example: 'ACME' },
    (value) => typeof value === 'string' && PREFIX.test(value),
    {
      optional: true,
      message: 'must be 1 to 10 letters and digits, such as INV',
      description: 'What invoice numbers begin with.',
    },
  )
  invoiceNumberPrefix?: string;

  @ChoiceField(INVOICE_NUMBER_FORMATS, {
    optional: true,
    description:
      'How invoice numbers are written: `INV-000042`, `INV-2026-000042`, `INV-202601-000042` or `000042`. Year and month are ' +
      'those of the opening, in UTC. The sequence at the end goes on through all of them, without a gap.',
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
        'What numbers of credit notes begin with: another than numbers of invoices begin with or ever began with, in more than its case. And the other way round.',
    },
  )
  creditNoteNumberPrefix?: string;

  @TextField({
    max: 600,
    optional: true,
    nullable: true,
    description: 'Printed at the foot of every invoice, such as bank details or a registration number.',
    example: 'Contoso GmbH, HRB 1234 B',
  })
  invoiceFooter?: string | null;

  @ChoiceField(LANGUAGES, {
    optional: true,
    description:
      'What the invoices and credit notes of customers that have no `language` of their own are written in.',
  })
  language?: Language;

  @ChoiceField(PAPER_SIZES, {
    optional: true,
    description:
      'What PDFs of invoices, receipts and credit notes are printed on: `a4` (the default), or US `letter`.',
  })
  paperSize?: PaperSize;

  @ChoiceField(INVOICE_GROUPINGS, {
    optional: true,
    description:
      'Whether each `subscription` has invoices of its own (the default), or those of one `customer` that fall due at the same instant, ' +
      'in one currency, are on one: with one number, total and payment. Changes of a subscription, and what is billed by hand, stay apart.',
  })
  invoiceGrouping?: InvoiceGrouping;

  @ObjectField(() => SellerBody, {
    optional: true,
    nullable: true,
    description: 'Who invoices come from, as they print it. A change replaces the whole of it.',
  })
  seller?: SellerBody | null;

  @ChoiceField(E_INVOICING, {
    optional: true,
    description:
      'Whether PDFs of invoices and credit notes have the e-invoice inside: `facturx` (Factur-X, ZUGFeRD; PDF/A-3 with the XML of EN 16931). ' +
      'Needs a `seller` with address and taxId.',
  })
  eInvoicing?: EInvoicing;

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
      ...{ optional: true, nullable: true },
      message: `must be a PNG or SVG of at most ${MAX_LOGO_BYTES} bytes as data:image/png;base64,… or data:image/svg+xml;base64,…`,
      description:
        `Printed on every document, also on those that are there: a PNG of at most a million pixels, or an SVG of shapes and gradients, ` +
        `of at most ${MAX_LOGO_BYTES} bytes. An SVG with anything else, such as scripts, styles, texts, images or links, is refused.`,
    },
  )
  logo?: string | null;

  @RuleField(
    'isColor',
    { type: String, pattern: COLOR.source, example: '#0b5fff' },
    (value) => typeof value === 'string' && COLOR.test(value),
    {
      ...{ optional: true, nullable: true },
      message: 'must be a color as six hexadecimal digits, such as #0b5fff',
      description: 'The color of lines and buttons on every document, also on those that are there.',
    },
  )
  brandColor?: string | null;

  @TimezoneField({
    optional: true,
    nullable: true,
    description:
      'Whose calendar says on which day a document is issued, due or paid, and its bookings in the ledger are made. Null (the default): each ' +
      "customer's own. Periods are always shown in the customer's. Invoices that are there already keep theirs, and their bookings too.",
  })
  timezone?: string | null;

  @IdListField({
    max: MAX_TAX_RATES,
    optional: true,
    example: [],
    description: 'Tax rates of customers that have none of their own and are not exempt.',
  })
  defaultTaxRateIds?: string[];
}

export class BillingSettingsView {
  @ApiProperty({ description: "Whether drafts are opened without anybody's approval.", example: true })
  autoApprove: boolean;
  @ApiProperty({ description: 'Whether open invoices are charged to the card on file.', example: true })
  autoCollect: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Hours that a draft waits before it is opened by itself.',
    example: 0,
  })
  gracePeriodHours: number;
  @ApiProperty({
    description: 'Whether a draft that charges nothing is voided instead of opened.',
    example: false,
  })
  skipZeroInvoices: boolean;
  @ApiProperty({ type: 'integer', description: 'Days from opening to the due date.', example: 30 })
  netDays: number;
  @ApiProperty({ enum: PRORATION_UNITS, description: 'What parts of a period are counted in.' })
  prorationBasis: string;
  @ApiProperty({ example: 'INV', description: 'What invoice numbers begin with.' })
  invoiceNumberPrefix: string;
  @ApiProperty({ enum: INVOICE_NUMBER_FORMATS, description: 'How invoice numbers are written.' })
  invoiceNumberFormat: string;
  @ApiProperty({ example: 'CN', description: 'What numbers of credit notes begin with.' })
  creditNoteNumberPrefix: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Printed at the foot of every invoice.',
    example: null,
  })
  invoiceFooter: string | null;
  @ApiProperty({ enum: LANGUAGES }) language: Language;
  @ApiProperty({ enum: PAPER_SIZES, description: 'What PDFs are printed on.' }) paperSize: PaperSize;
  @ApiProperty({
    enum: INVOICE_GROUPINGS,
    description: 'Whether each subscription has invoices of its own, or those of one customer are on one.',
  })
  invoiceGrouping: InvoiceGrouping;
  @ApiProperty({ type: SellerView, nullable: true }) seller: SellerView | null;
  @ApiProperty({ enum: E_INVOICING, description: 'Whether PDFs have the e-invoice inside.' })
  eInvoicing: EInvoicing;
  @ApiProperty({ type: String, nullable: true, example: LOGO, description: 'Printed on every document.' })
  logo: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '#0b5fff',
    description: 'The color of lines and buttons on every document.',
  })
  brandColor: string | null;
  @ApiProperty({ type: String, nullable: true, example: null }) timezone: string | null;
  @ApiProperty({
    type: [String],
    description: 'Tax rates of customers that have none of their own.',
    example: [],
  })
  defaultTaxRateIds: string[];
}
