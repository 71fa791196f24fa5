export function rank(): i32 { return RANK }
