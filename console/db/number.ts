// DynamoDB's numbers as decimal text: up to 38 digits, from 1E-130 to 9.99…E+125.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number
interface Parts {
  sign: string;
  digits: string; // without zeros at either end; "" is zero
  magnitude: number; // the power of ten of the first digit
}

const form = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

function partsOf(text: string): Parts | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = form.exec(text.trim()) ?? [undefined, "", ""];
  if (whole + fraction === "") return undefined;
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first < 0) return { sign: "", digits: "", magnitude: 0 };
  return { sign: sign === "-" ? "-" : "", digits: all.slice(first).replace(/0+$/, ""), magnitude: whole.length - 1 - first + Number(exponent) };
}

/** Returns why a text is no number of DynamoDB's; undefined if it is one. */
export function numberProblem(text: string): string | undefined {
  const parts = partsOf(text);
  if (!parts) return text.trim() === "" ? "A number is missing" : `“${text}” is not a number`;
  if (parts.digits.length > 38) return `This number has ${parts.digits.length} digits; DynamoDB keeps 38`;
  if (parts.magnitude > 125 || parts.magnitude < -130) return "The number is beyond what DynamoDB keeps: 1E-130 to 9.99E+125";
  return undefined;
}

/** Returns the same text for all ways to write one number: "1.50" and "15e-1". */
export function canonical(text: string): string {
  const parts = partsOf(text);
  return parts ? `${parts.sign}${parts.digits}e${parts.magnitude}` : text;
}
