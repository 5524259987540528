export { ChangeCustomer } from './commands/change-customer.js';
export { CreateCustomer } from './commands/create-customer.js';
export { customerDecider, type Customer } from './customer.js';
export { Customers } from './customers.js';
export { presentHistory } from './customer-data.js';
export { CustomersModule } from './customers.module.js';
export {
  paysWhatWasDeclined,
  TAX_EXEMPTIONS,
  type CardPaymentMethod,
  type CustomerDetails,
  type CustomField,
  type CustomerEvent,
  type InvoiceToPay,
  type PaymentMethod,
  type PaymentMethodPurpose,
  type TaxExemption,
  type TestPaymentMethod,
} from './events.js';
export { customFieldsOrNone } from './custom-fields.js';
export { additionalEmailsOrNone, mailAddressesOf } from './mail-addresses.js';
export { presentCustomer, presentPaymentMethods } from './present.js';
