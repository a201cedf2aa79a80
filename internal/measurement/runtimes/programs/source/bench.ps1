# The benchmark of PowerShell's calls, for Windows PowerShell 5.1 and PowerShell 7. timebench runs it as
# pwsh -NoProfile -File bench.ps1 MODE ARGS... It prints lines of fields with tabs between them.
#
#   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
#   steps MOST MOST_NS NAME...        the differences between consecutive values
#   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Where a policy of Windows restricts scripts, they may not call methods. Write-Host does not wrap long lines.
$language = $ExecutionContext.SessionState.LanguageMode
if ($language -ne 'FullLanguage') {
    foreach ($name in $args | Select-Object -Skip 3) {
        Write-Host "missing`t$name`ta policy, such as AppLocker, forbids scripts to call .NET ($language mode)"
    }
    Write-Host 'done'
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
function Write-Fields { [Console]::Out.Write(($args -join "`t") + "`n") }

function Format-Number([double]$number) { $number.ToString('0.#########', [Globalization.CultureInfo]::InvariantCulture) }

function Get-Nanoseconds([long]$begin) { ([Diagnostics.Stopwatch]::GetTimestamp() - $begin) * $tickNS }

function Measure-Run($run, [int]$n) {
    $begin = [Diagnostics.Stopwatch]::GetTimestamp()
    & $run $n
    $end = [Diagnostics.Stopwatch]::GetTimestamp()
    [long](($end - $begin) * $tickNS)
}

# Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
function Measure-First($run) {
    $begin = [Diagnostics.Stopwatch]::GetTimestamp()
    for ($n = 100; ; $n += 100) {
        & $run 100
        $elapsed = Get-Nanoseconds $begin
        if ($elapsed -gt 0) {
            return $elapsed / $n
        }
    }
}

# Returns the calls that take a span.
function Get-Count($run, [long]$span) {
    for ($n = 1; ; $n *= 2) {
        $elapsed = Measure-Run $run $n
        for ($again = 0; $again -lt 2 -and $elapsed -ge $span / 2; $again++) { # another program may have had the CPU
            $elapsed = [Math]::Min($elapsed, (Measure-Run $run $n))
        }
        if ($elapsed -ge $span / 2) {
            return [int][Math]::Max(1.0, $n * $span / $elapsed)
        }
    }
}

# Runs the blocks in turn. PowerShell compiles a loop in the background, and .NET optimizes its methods there.
function Invoke-WarmUp($blocks, $argument, [double]$ns) {
    $begin = [Diagnostics.Stopwatch]::GetTimestamp()
    do {
        foreach ($one in $blocks) {
            & $one $argument
        }
    } while ((Get-Nanoseconds $begin) -lt $ns)
}

function Measure-Cost($names, [int]$rounds, [long]$span) {
    $runs = @(foreach ($name in $names) { New-Runner $name })
    for ($i = 0; $i -lt $runs.Count; $i++) {
        Write-Fields 'warm' $names[$i] (Format-Number (Measure-First $runs[$i]))
    }
    Invoke-WarmUp $runs 64 ([Math]::Max(1e9, $runs.Count * [Math]::Max($span, 1e8)))
    $counts = @(foreach ($run in $runs) { Get-Count $run $span })
    for ($r = 0; $r -lt $rounds; $r++) {
        for ($i = 0; $i -lt $runs.Count; $i++) {
            $k = ($r + $i) % $runs.Count
            Write-Fields 'cost' $names[$k] $counts[$k] (Measure-Run $runs[$k] $counts[$k])
        }
    }
    Write-Fields 'sink' 0 # PowerShell removes no calls
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

function Measure-Steps($names, [int]$most, [long]$mostNS) {
    $names = @(foreach ($name in $names) { if ($calls[$name][1] -gt 0) { $name } })
    $reads = @(foreach ($name in $names) { New-Reader $name })
    $values = @(0) * $block
    Invoke-WarmUp $reads $values 1e9
    for ($i = 0; $i -lt $names.Count; $i++) {
        $found = @()
        $seen = 0
        $repeats = 0
        $begin = [Diagnostics.Stopwatch]::GetTimestamp()
        while ($found.Count -lt $most -and (Get-Nanoseconds $begin) -lt $mostNS) {
            & $reads[$i] $values
            $seen += $block - 1
            $last = Get-Ticks $values[0]
            # A block without a step takes no time here. Otherwise many ticks fall between blocks.
            if ($last -eq (Get-Ticks $values[$block - 1])) {
                $repeats += $block - 1
                continue
            }
            for ($k = 1; $k -lt $block; $k++) {
                $value = Get-Ticks $values[$k]
                if ($value -eq $last) {
                    $repeats++
                } elseif ($found.Count -lt $most) {
                    $found += ($value - $last) * $calls[$names[$i]][1]
                }
                $last = $value
            }
        }
        foreach ($step in $found) {
            Write-Fields 'step' $names[$i] (Format-Number $step)
        }
        Write-Fields 'seen' $names[$i] $seen $repeats
    }
}

# Makes one system call. Test-Path makes more.
function Set-Mark($name) {
    ([IO.FileInfo]('/timebench-mark/' + ($name -replace '[^A-Za-z0-9._-]', '_'))).Refresh()
}

function Invoke-Marked($names, [int]$times) {
    $runs = @(foreach ($name in $names) { New-Runner $name })
    Set-Mark 'start'
    foreach ($run in $runs) {
        & $run 1
    }
    for ($i = 0; $i -lt $runs.Count; $i++) {
        for ($t = 0; $t -lt $times; $t++) {
            Set-Mark $names[$i]
            & $runs[$i] 1
        }
    }
    Set-Mark 'end'
}

$many = @{ cost = 2; steps = 2; mark = 1 }
$mode = ''
if ($args.Count -gt 0) {
    $mode = $args[0]
}
$valid = $many.ContainsKey($mode) -and $args.Count -gt $many[$mode] + 1
for ($i = 1; $valid -and $i -le $many[$mode]; $i++) {
    $valid = $args[$i] -match '\A[1-9][0-9]{0,17}\z'
}
if (-not $valid) {
    [Console]::Error.WriteLine('usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME...')
    exit 2
}
$names = @(for ($i = $many[$mode] + 1; $i -lt $args.Count; $i++) {
    if ($calls.ContainsKey($args[$i])) {
        $args[$i]
    } else {
        Write-Fields 'missing' $args[$i] 'no such call'
    }
})
if ($names.Count -gt 0) {
    if ($mode -eq 'cost') {
        Measure-Cost $names $args[1] $args[2]
    } elseif ($mode -eq 'steps') {
        Measure-Steps $names $args[1] $args[2]
    } else {
        Invoke-Marked $names $args[1]
    }
}
Write-Fields 'done'
