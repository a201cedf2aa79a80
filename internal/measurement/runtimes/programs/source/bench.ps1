# The benchmark of PowerShell's calls, for Windows PowerShell 5.1 and PowerShell 7. timebench runs it as
# pwsh -NoProfile -File bench.ps1. The protocol is in ../programs.go.

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Where a policy of Windows restricts scripts, they may not call methods. Write-Host does not wrap long lines.
$language = $ExecutionContext.SessionState.LanguageMode
if ($language -ne 'FullLanguage') {
    Write-Host "missing a policy, such as AppLocker, forbids scripts to call .NET ($language mode)"
    exit
}

function Invoke-Nothing { 1 }

# For each name: the expression, and the nanoseconds of a difference of 1, or 0 if the value is not a time.
$tickNS = 1e9 / [Diagnostics.Stopwatch]::Frequency
$calls = @{
    'loop' = @('1', 0)
    'call' = @('Invoke-Nothing', 0)
    'Get-Date' = @('Get-Date', 100)
    '[DateTime]::UtcNow' = @('[DateTime]::UtcNow', 100)
    '[DateTime]::Now' = @('[DateTime]::Now', 100)
    '[DateTimeOffset]::UtcNow' = @('[DateTimeOffset]::UtcNow', 100)
    '[Diagnostics.Stopwatch]::GetTimestamp()' = @('[Diagnostics.Stopwatch]::GetTimestamp()', $tickNS)
    '[Environment]::TickCount' = @('[Environment]::TickCount', 1000000)
}

# The reads of a block of steps.
$block = 1000

# Each call is written out in a loop of its own.
function New-Runner($name) {
    $expression = $calls[$name][0]
    [ScriptBlock]::Create("param([int]`$n) for (`$i = 0; `$i -lt `$n; `$i++) { `$x = $expression }")
}

# The same for a block of values. It keeps them as they are, so that the reads follow each other as fast as
# the call allows.
function New-Reader($name) {
    $expression = $calls[$name][0]
    [ScriptBlock]::Create("param(`$values) for (`$i = 0; `$i -lt $block; `$i++) { `$values[`$i] = $expression }")
}

# The language of the user has no part in what is printed.
function Format-Number([double]$number) { $number.ToString('0.#########', [Globalization.CultureInfo]::InvariantCulture) }

function Measure-Run($run, [int]$n) {
    $begin = [Diagnostics.Stopwatch]::GetTimestamp()
    & $run $n
    $end = [Diagnostics.Stopwatch]::GetTimestamp()
    [long](($end - $begin) * $tickNS)
}

function Measure-Slices($name, [int]$n, [int]$slices) {
    for ($i = 0; $i -lt $slices; $i++) {
        Measure-Run $runs[$name] $n
    }
}

function Get-Ticks($value) {
    if ($value -is [DateTime]) {
        return $value.Ticks
    }
    if ($value -is [DateTimeOffset]) {
        return $value.UtcTicks
    }
    [long]$value
}

function Measure-Steps($name, [int]$blocks, [int]$most) {
    $ns = $calls[$name][1]
    if ($ns -eq 0) {
        return 'missing its value is not a time'
    }
    $values = @(0) * $block
    $repeats = 0
    for ($k = 0; $k -lt $blocks; $k++) {
        & $reads[$name] $values
        $last = Get-Ticks $values[0]
        # A block without a step takes no time here. Otherwise many ticks fall between blocks.
        if ($last -eq (Get-Ticks $values[$block - 1])) {
            $repeats += $block - 1
            continue
        }
        for ($i = 1; $i -lt $block; $i++) {
            $value = Get-Ticks $values[$i]
            if ($value -eq $last) {
                $repeats++
            } elseif ($most-- -gt 0) {
                Format-Number (($value - $last) * $ns)
            }
            $last = $value
        }
    }
    $repeats
}

# Makes one system call. Test-Path makes more.
function Get-Stat($path) { ([IO.FileInfo]$path).Refresh() }

function Set-Mark($name, [int]$times, $number) {
    for ($i = 0; $i -lt $times; $i++) {
        Get-Stat "/timebench-mark/$number"
        & $runs[$name] 1
    }
    Get-Stat '/timebench-mark/end'
}

$verbs = @{ run = 'Measure-Slices'; steps = 'Measure-Steps'; mark = 'Set-Mark' }
$runs = @{}
$reads = @{}
while ($null -ne ($line = [Console]::In.ReadLine())) {
    $verb, $name, $first, $second = $line -split "`t"
    $answer = 'missing no such call'
    if ($calls.ContainsKey($name)) {
        if (-not $runs.ContainsKey($name)) {
            $runs[$name] = New-Runner $name
            $reads[$name] = New-Reader $name
        }
        $answer = & $verbs[$verb] $name $first $second
    }
    [Console]::Out.Write(($answer -join ' ') + "`n")
}
