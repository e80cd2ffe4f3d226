/** k8s.io/apimachinery/pkg/util/validation: checks that return messages; an empty list means valid. */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const SUBDOMAIN_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*';
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const RE_LABEL = whole(LABEL);
const RE_SUBDOMAIN = whole(SUBDOMAIN);
const RE_QUALIFIED = whole(QUALIFIED);
const RE_LABEL_VALUE = whole(LABEL_VALUE);
const RE_SUBDOMAIN_UNDERSCORE = whole(SUBDOMAIN_UNDERSCORE);
const RE_CONFIG_KEY = whole(CONFIG_KEY);

/** RegexError: the double blanks before "or" are the real text. */
function regexError(text: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((e, i) => (i === 0 ? `'${e}'` : ` or '${e}'`)).join(', ');
  return `${text} (e.g. ${shown}, regex used for validation is '${pattern}')`;
}

const maxLen = (n: number): string => `must be no more than ${n} characters`;

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

export function isDns1123Label(value: string): string[] {
  const out: string[] = [];
  if (value.length > 63) out.push(maxLen(63));
  if (!RE_LABEL.test(value)) {
    if (RE_SUBDOMAIN.test(value)) out.push('must not contain dots');
    else out.push(regexError(LABEL_TEXT, LABEL, 'my-name', '123-abc'));
  }
  return out;
}

export function isDns1123Subdomain(value: string): string[] {
  const out: string[] = [];
  if (value.length > 253) out.push(maxLen(253));
  if (!RE_SUBDOMAIN.test(value)) out.push(regexError(SUBDOMAIN_TEXT, SUBDOMAIN, 'example.com'));
  return out;
}

/** Search domains may hold underscores. */
export function isDns1123SubdomainWithUnderscore(value: string): string[] {
  const out: string[] = [];
  if (value.length > 253) out.push(maxLen(253));
  if (!RE_SUBDOMAIN_UNDERSCORE.test(value)) {
    out.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN_UNDERSCORE,
        'example.com',
      ),
    );
  }
  return out;
}

const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export function isQualifiedName(value: string): string[] {
  const parts = value.split('/');
  const out: string[] = [];
  let name = value;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    name = parts[1] as string;
    if (prefix === '') out.push('prefix part must be non-empty');
    else out.push(...isDns1123Subdomain(prefix).map((m) => `prefix part ${m}`));
  } else if (parts.length > 2) {
    const text = regexError(QUALIFIED_TEXT, QUALIFIED, 'MyName', 'my.name', '123-abc');
    return [`a qualified name ${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  if (name === '') out.push('name part must be non-empty');
  else if (name.length > 63) out.push(`name part ${maxLen(63)}`);
  if (!RE_QUALIFIED.test(name)) {
    out.push(`name part ${regexError(QUALIFIED_TEXT, QUALIFIED, 'MyName', 'my.name', '123-abc')}`);
  }
  return out;
}

export function isLabelValue(value: string): string[] {
  const out: string[] = [];
  if (value.length > 63) out.push('must be no more than 63 bytes');
  if (!RE_LABEL_VALUE.test(value)) {
    out.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        LABEL_VALUE,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return out;
}

export function isPortNum(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/** IANA service names: container ports and named target ports. */
export function isPortName(name: string): string[] {
  const out: string[] = [];
  if (name.length > 15) out.push(maxLen(15));
  if (!/^[-a-z0-9]+$/.test(name)) out.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) out.push('must contain at least one letter (a-z)');
  if (name.includes('--')) out.push('must not contain consecutive hyphens');
  if (name !== '' && (name.startsWith('-') || name.endsWith('-'))) out.push('must not begin or end with a hyphen');
  return out;
}

export function isConfigMapKey(key: string): string[] {
  const out: string[] = [];
  if (key.length > 253) out.push(maxLen(253));
  if (!RE_CONFIG_KEY.test(key)) {
    out.push(
      regexError(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  } else if (key === '.' || key === '..') out.push(`must not be '${key}'`);
  else if (key.startsWith('..')) out.push("must not start with '..'");
  return out;
}
