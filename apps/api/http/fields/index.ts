export { CurrencyField, TimezoneField } from './codes.js';
export { RuleField } from './field.js';
export { IdField, ChosenIdField, IdListField } from './ids.js';
export { InstantField, PERIOD_END, MomentField } from './instants.js';
export { MetadataField } from './metadata.js';
export { IntegerField, DecimalField, DecimalListField } from './numbers.js';
export { ObjectField } from './object.js';
export { BicField, CountryField, IbanField, VatIdField } from './parties.js';
export { TextField, LineField, EmailField, BooleanField, ChoiceField } from './text.js';
